// A bar separates segments, so bars and percent signs in a text are percent-encoded. Other characters are unchanged.

/** Encodes a text as a segment. */
export function escapeSegment(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("|", "%7C");
}

/** Decodes a segment. Leaves percent signs outside of these two codes unchanged. */
export function unescapeSegment(segment: string): string {
  // Replaces in one pass: in "%257C" only "%25" is a code.
  return segment.replace(/%(25|7C)/gi, (_, digits: string) => (digits === "25" ? "%" : "|"));
}
