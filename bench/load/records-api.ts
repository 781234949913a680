import { z } from "zod";

const PATH = "/api";
const Answer = z.object({ content: z.object({ tparams: z.object({ tx: z.string() }) }) });

/** A client of API 1 that holds a session. */
export class RecordsApi {
  readonly #url: string;
  #token = "";
  #stored = 0;

  constructor(url: string) {
    this.#url = url;
  }

  async login(credentials: { login: string; password: string }): Promise<void> {
    this.#token = await this.#newToken("/api/admin/auth", credentials);
  }

  /** Exchanges the token for a new one. */
  async validate(): Promise<void> {
    this.#token = await this.#newToken("/api/admin/session/validate", { token: this.#token });
  }

  /** A call that stores a reading with a code that no other has. */
  readonly nextStore = (): { path: string; body: string } => {
    this.#stored += 1;
    const payload = { sensorvalue: this.#stored / 10, sensordevice: "SDS011" };
    return this.#call("/api/datastore/event/store", { code: `station-${this.#stored}`, topic: "PM2.5", payload });
  };

  /** A call that searches by code. */
  search(value: string, limit: number): { path: string; body: string } {
    return this.#call("/api/datastore/event/search", { search: { target: "1", value, limit } });
  }

  #call(route: string, payload: object): { path: string; body: string } {
    return { path: PATH, body: JSON.stringify({ method: "GET", route, credentials: { token: this.#token }, payload }) };
  }

  async #newToken(route: string, credentials: object): Promise<string> {
    const response = await fetch(`${this.#url}${PATH}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ method: "GET", route, credentials }),
    });
    if (!response.ok) throw new Error(`${route} answered ${response.status}: ${await response.text()}`);
    return Answer.parse(await response.json()).content.tparams.tx;
  }
}
