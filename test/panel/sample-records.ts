import { ROUTES, type TestServer } from "../support/server.ts";

const STATIONS = [
  { code: "bkk-roof", title: "Roof, Bangkok", lng: 100.523, lat: 13.744, value: 34.1 },
  { code: "cnx-market", title: "Market, Chiang Mai", lng: 98.985, lat: 18.788, value: 61.8 },
  { code: "hkt-harbour", title: "Harbour, Phuket", lng: 98.392, lat: 7.884, value: 8.4 },
];

/** Stores readings of several stations, and a record of another kind. */
export async function fillWithRecords({ login, call }: Pick<TestServer, "login" | "call">): Promise<void> {
  const token = await login();
  const store = (code: string, topic: string, payload: object) =>
    call(ROUTES.store, { token }, { code, topic, payload });
  await store("delivery-2041", "cold chain", {
    carrier: "North Freight",
    temperature: { least: 2.1, most: 4.6 },
    seals: ["A-1187", "A-1188"],
    intact: true,
  });
  for (const { code, title, lng, lat, value } of STATIONS) {
    await store(code, "PM2.5", {
      sensorvalue: value,
      sensordevice: "SDS011",
      enrichment: { position: { lng, lat }, title },
    });
  }
}
