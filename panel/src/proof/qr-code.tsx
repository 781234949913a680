import { create } from "qrcode";

/** Light modules around a code: readers need four. */
const MARGIN = 4;

/** A text as a QR code, in black on white in every theme. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { size, data } = create(text, { errorCorrectionLevel: "M" }).modules;
  const path = Array.from(data, (isDark, index) =>
    isDark === 0 ? "" : `M${(index % size) + MARGIN} ${Math.floor(index / size) + MARGIN}h1v1h-1z`,
  ).join("");
  const whole = size + 2 * MARGIN;
  return (
    <svg class="qr-code" viewBox={`0 0 ${whole} ${whole}`} role="img" aria-label={label} shape-rendering="crispEdges">
      <rect width={whole} height={whole} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
