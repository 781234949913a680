import { getAddress } from "ethers";
import { z } from "zod";
import { TokenCredentials } from "../http/record-store/envelope.ts";
import { limitedText } from "../http/fields.ts";

const MAX_PASSWORD = 1024;

export const AuthCall = z.object({
  credentials: z.object({
    login: z
      .string()
      .regex(/^0x[0-9a-fA-F]{40}$/, "is not a blockchain address: 0x and 40 hexadecimal digits")
      .transform((address) => getAddress(address.toLowerCase()))
      .meta({ description: "The account's address." }),
    password: limitedText(MAX_PASSWORD).min(1, "is empty"),
  }),
});

export const TokenCall = z.object({ credentials: TokenCredentials });
