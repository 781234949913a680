import { type Request, type Response, Router } from "express";
import type { ProofService } from "../../domain/proofs/proof-service.ts";
import type { StoredProof } from "../../domain/proofs/proof.ts";
import { SealbookError } from "../../errors.ts";
import { parseInput } from "../errors.ts";
import { jsonBody } from "../json-body.ts";
import { onlyMethods } from "../only-methods.ts";
import { sendProblem } from "./problem.ts";
import { proofPath, type ProofPlace, representProof, representVerified } from "./representation.ts";
import { askedHash, HashQuestion, ProofBody, TransactionHash } from "./schemas.ts";

/** Most bytes of a request body. */
const MAX_BODY = 64 * 1024;
/** When a pending proof is worth asking for again. */
const PENDING_RETRY_SECONDS = 3;

/** What the integrity-proof API needs. */
export interface ProofApiParts {
  readonly proofs: ProofService;
  /** Known only once the server listens, because links may lead to the server itself. */
  readonly place: () => ProofPlace;
  readonly status: () => Promise<object>;
}

/** The integrity-proof API, below `/api/v1`. */
export function proofRouter({ proofs, place, status }: ProofApiParts): Router {
  const router = Router();
  const json = jsonBody(MAX_BODY);

  const send = (response: Response, [newest, ...older]: readonly [StoredProof, ...StoredProof[]]): void => {
    if (newest.anchor === undefined) response.set("Retry-After", String(PENDING_RETRY_SECONDS));
    const history = older.map((proof) => representProof(proof, place()));
    response.json({ ...representProof(newest, place()), ...(history.length === 0 ? {} : { history }) });
  };

  const answerVerify = async (hash: Uint8Array, response: Response): Promise<void> => {
    const verification = await proofs.verify(hash);
    response.json(verification.valid ? representVerified(verification.proof) : verification);
  };

  router
    .route("/proof")
    .post(json, async (request: Request, response: Response) => {
      const { proof, isNew } = await proofs.submit(parseInput(ProofBody, request.body));
      const confirmed = proof.anchor !== undefined;
      response.status(confirmed ? (isNew ? 201 : 200) : 202);
      if (isNew || !confirmed) response.location(proofPath(proof));
      if (!confirmed) response.set("Retry-After", String(PENDING_RETRY_SECONDS));
      response.json(representProof(proof, place()));
    })
    .all(onlyMethods("POST"));

  router
    .route("/proof/tx/:txhash")
    .get(async (request: Request<{ txhash: string }>, response: Response) => {
      const { txhash } = request.params;
      const found = await proofs.findByTransaction(parseInput(TransactionHash, txhash, "txhash"));
      send(response, existing(found, `no proof was anchored by transaction ${txhash}`));
    })
    .all(onlyMethods("GET"));

  router
    .route("/proof/:id")
    .get(async (request: Request<{ id: string }>, response: Response) => {
      const { id } = request.params;
      send(response, existing(await proofs.find(id), `there is no proof with the id, and no document, "${id}"`));
    })
    .all(onlyMethods("GET"));

  router
    .route("/verify")
    .get(async (request: Request, response: Response) => {
      await answerVerify(askedHash(parseInput(HashQuestion, request.query, "query")), response);
    })
    .post(json, async (request: Request, response: Response) => {
      await answerVerify(askedHash(parseInput(HashQuestion, request.body)), response);
    })
    .all(onlyMethods("GET", "POST"));

  router
    .route("/status")
    .get(async (_request, response) => {
      response.json(await status());
    })
    .all(onlyMethods("GET"));

  router.use(() => {
    throw new SealbookError("not_found", "there is nothing at this path");
  });
  router.use(sendProblem);
  return router;
}

function existing(found: readonly StoredProof[], otherwise: string): readonly [StoredProof, ...StoredProof[]] {
  const [first, ...rest] = found;
  if (first === undefined) throw new SealbookError("not_found", otherwise);
  return [first, ...rest];
}
