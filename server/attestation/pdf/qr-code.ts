import qrcode from "qrcode";

/** Modules of a QR code, row by row from the top; `true` is dark. */
export type QrMatrix = readonly (readonly boolean[])[];

/** Encodes a text as a QR code without the quiet zone. */
export function qrMatrix(text: string): QrMatrix {
  const { size, data } = qrcode.create(text, { errorCorrectionLevel: "M" }).modules;
  return Array.from({ length: size }, (_, row) =>
    Array.from(data.subarray(row * size, (row + 1) * size), (module) => module === 1),
  );
}
