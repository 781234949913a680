export const api = {
  title: "API",
  about:
    "Both APIs of this server, with calls to copy. " +
    "The examples are recorded from a server: replace their ids, hashes and logins.",
  document: "OpenAPI document",
  parameters: "Parameter",
  body: "Field of the body",
  type: "Type",
  meaning: "Meaning",
  required: "required",
  places: { path: "In the path", query: "In the query", header: "Header" } as Readonly<Record<string, string>>,
  examples: "Examples",
  response: (status: string) => `Response ${status}`,
  responses: "Responses",
  status: "Status",
  token:
    "The token is that of your session, which the panel replaces soon. Above, you can open one for another program.",
};
