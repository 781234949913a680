import { RecordClient } from "../../client/index.ts";

const PATH = "/api";

/** A client of API 1 with an open session. */
export class RecordsApi {
  readonly #client: RecordClient;
  #token = "";
  #stored = 0;

  constructor(url: string) {
    this.#client = new RecordClient(url);
  }

  async login({ login, password }: { login: string; password: string }): Promise<void> {
    this.#token = (await this.#client.auth(login, password)).tparams.tx;
  }

  /** Exchanges the token for a new one. */
  async validate(): Promise<void> {
    this.#token = (await this.#client.validate(this.#token)).tparams.tx;
  }

  /** Returns a call that stores a reading with a unique code. */
  readonly nextStore = (): { path: string; body: string } => {
    this.#stored += 1;
    const payload = { sensorvalue: this.#stored / 10, sensordevice: "SDS011" };
    return this.#call("/api/datastore/event/store", { code: `station-${this.#stored}`, topic: "PM2.5", payload });
  };

  /** Returns a call that searches by code. */
  search(value: string, limit: number): { path: string; body: string } {
    return this.#call("/api/datastore/event/search", { search: { target: "1", value, limit } });
  }

  #call(route: string, payload: object): { path: string; body: string } {
    return { path: PATH, body: JSON.stringify({ method: "GET", route, credentials: { token: this.#token }, payload }) };
  }
}
