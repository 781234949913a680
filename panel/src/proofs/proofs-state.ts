import * as z from "zod";
import { kept } from "../session/kept.ts";
import { Document } from "../proof/document.ts";

/** The file that is proved or checked; its content is not kept. */
export const document = kept("proofs.document", Document.optional(), undefined);
/** The portable proof to check it with. */
export const bundle = kept("proofs.bundle", z.string().optional(), undefined);
/** The input of the form that records the file; `undefined` for the file's own name. */
export const recordAs = kept("proofs.recordAs", z.object({ id: z.string(), type: z.string() }).optional(), undefined);
