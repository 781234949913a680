// Segments are joined with a bar, so a bar inside a text is written as its percent code, and so is the percent
// sign itself: what was a code before stays apart from what became one. Every other character stands as it is.

/** Writes a free text as a segment. */
export function escapeSegment(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("|", "%7C");
}

/** Restores a free text from its segment. A percent sign that begins no code of ours stays as it is. */
export function unescapeSegment(segment: string): string {
  // One pass: in "%257C" only the "%25" is a code.
  return segment.replace(/%(25|7C)/gi, (_, digits: string) => (digits === "25" ? "%" : "|"));
}
