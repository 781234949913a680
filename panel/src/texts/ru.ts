import { api } from "./ru/api.ts";
import { certificate } from "./ru/certificate.ts";
import { common } from "./ru/common.ts";
import { errors } from "./ru/errors.ts";
import { explorer } from "./ru/explorer.ts";
import { home } from "./ru/home.ts";
import { login } from "./ru/login.ts";
import { map } from "./ru/map.ts";
import { proofs } from "./ru/proofs.ts";
import { recording } from "./ru/recording.ts";
import { records } from "./ru/records.ts";
import { session } from "./ru/session.ts";
import { tabs } from "./ru/tabs.ts";
import { verify } from "./ru/verify.ts";
import type { Texts } from "./texts.ts";

export const ru: Texts = {
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
