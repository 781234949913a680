// A baseline: the highest request rate of an Express route. The route reads the same body and returns the same JSON
// every time: a response of Sealbook from the file named on the command line.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import express from "express";

const content: unknown = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8"));

const app = express();
app.post("/api/v1/proof", express.json(), (_request, response) => {
  response.status(201).json(content);
});

const server = createServer(app);
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (typeof address === "object") console.log(`listens on http://127.0.0.1:${address?.port}`);
});
