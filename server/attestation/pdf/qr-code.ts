import qrcode from "qrcode";

/** A QR code's modules, row by row from the top; `true` is dark. */
export type QrMatrix = readonly (readonly boolean[])[];

/** The QR code of a text, without the quiet zone around it. */
export function qrMatrix(text: string): QrMatrix {
  const { size, data } = qrcode.create(text, { errorCorrectionLevel: "M" }).modules;
  return Array.from({ length: size }, (_, row) =>
    Array.from(data.subarray(row * size, (row + 1) * size), (module) => module === 1),
  );
}
