import { api } from "./en/api.ts";
import { certificate } from "./en/certificate.ts";
import { common } from "./en/common.ts";
import { errors } from "./en/errors.ts";
import { explorer } from "./en/explorer.ts";
import { home } from "./en/home.ts";
import { login } from "./en/login.ts";
import { map } from "./en/map.ts";
import { proofs } from "./en/proofs.ts";
import { recording } from "./en/recording.ts";
import { records } from "./en/records.ts";
import { session } from "./en/session.ts";
import { tabs } from "./en/tabs.ts";
import { verify } from "./en/verify.ts";

export const en = {
  common,
  tabs,
  api,
  certificate,
  session,
  login,
  home,
  proofs,
  recording,
  records,
  map,
  verify,
  explorer,
  errors,
};
