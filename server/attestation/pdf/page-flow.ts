import {
  type Color,
  degrees,
  drawText,
  grayscale,
  type PDFDocument,
  type PDFName,
  type PDFPage,
} from "@cantoo/pdf-lib";
import { embedFonts, type Fonts, type PageFont } from "./fonts.ts";
import { printable, linesOf } from "./text-lines.ts";
import qrcode from "qrcode";

/** A4 in points. */
const PAGE: [number, number] = [595.28, 841.89];
const MARGIN = 56;
const BOTTOM = 72;
const FOOTER = 40;
const LEADING = 1.4;

const INK = grayscale(0.1);
const SOFT = grayscale(0.45);
const LINE = grayscale(0.8);
const SHADE = grayscale(0.95);
const NO_TURN = degrees(0);

/** Width of the text area in points. */
export const TEXT_WIDTH = PAGE[0] - 2 * MARGIN;

/** Style of a text. */
export interface Style {
  readonly font: PageFont;
  readonly size: number;
  readonly color?: Color;
  /** Distance from the left margin. */
  readonly indent?: number;
  /** Defaults to the width right of the indent. */
  readonly width?: number;
}

/** One paragraph or several. A line break inside a paragraph is printed as an escaped character. */
export type Paragraphs = string | readonly string[];

/** Texts of a table cell, from top to bottom. */
export type Cell = readonly { readonly text: Paragraphs; readonly style: Style }[];

/** A line of text on a page. */
interface TextPosition {
  readonly x: number;
  readonly y: number;
  readonly font: PageFont;
  readonly size: number;
  readonly color: Color;
}

/** Lays out text and tables from top to bottom and adds pages as needed. */
export class PageFlow {
  readonly fonts: Fonts;
  readonly #pdf: PDFDocument;
  #page: PDFPage;
  readonly #fontNames = new WeakMap<PDFPage, Map<PageFont, PDFName>>();
  /** Position of the next line from the bottom of the page. */
  #y = PAGE[1] - MARGIN;

  private constructor(pdf: PDFDocument, fonts: Fonts) {
    this.#pdf = pdf;
    this.fonts = fonts;
    this.#page = pdf.addPage(PAGE);
  }

  static async on(pdf: PDFDocument): Promise<PageFlow> {
    return new PageFlow(pdf, await embedFonts(pdf));
  }

  space(height: number): void {
    this.#y -= height;
  }

  /** Starts a new page unless the current page has the given height left. */
  keep(height: number): void {
    if (this.#y - height >= BOTTOM) return;
    this.#page = this.#pdf.addPage(PAGE);
    this.#y = PAGE[1] - MARGIN;
  }

  heading(text: string): void {
    this.space(16);
    // Avoids a heading at the end of a page.
    this.keep(64);
    this.text(text, { font: this.fonts.bold, size: 12 });
    this.space(4);
  }

  text(text: Paragraphs, style: Style): void {
    for (const line of this.#lines(text, style)) this.#line(line, style);
  }

  /** Adds a bulleted paragraph. */
  point(text: string, size: number): void {
    const style = { font: this.fonts.regular, size, indent: 12 };
    this.keep(size * LEADING);
    this.#draw("•", this.#y - size, { ...style, indent: 0 });
    this.text(text, style);
    this.space(3);
  }

  /** Adds a name with its value beside it. */
  fact(name: string, value: Paragraphs, valueStyle: Partial<Style> = {}): void {
    const size = 9;
    const indent = 118;
    const style = { font: this.fonts.regular, size, indent, width: TEXT_WIDTH - indent, ...valueStyle };
    const nameStyle = { font: this.fonts.regular, size, color: SOFT };
    const shown = printable(name, nameStyle.font);
    this.keep(size * LEADING + 4);
    // A name wider than its column is placed above the value.
    if (nameStyle.font.width(shown, size) > indent - 6) this.text(name, nameStyle);
    else this.#draw(shown, this.#y - size, nameStyle);
    this.text(value, style);
    this.space(2.5);
    this.rule();
    this.space(2.5);
  }

  /** Adds a table row, which is not split across pages. */
  row(cells: readonly Cell[]): void {
    const set = cells.map((cell) =>
      cell.flatMap(({ text, style }) => this.#lines(text, style).map((line) => ({ line, style }))),
    );
    const heights = set.map((lines) => lines.reduce((height, { style }) => height + style.size * LEADING, 0));
    const height = Math.max(...heights);
    this.keep(height + 5);
    for (const lines of set) {
      let y = this.#y;
      for (const { line, style } of lines) {
        this.#draw(line, y - style.size, style);
        y -= style.size * LEADING;
      }
    }
    this.space(height + 2.5);
    this.rule();
    this.space(2.5);
  }

  /** Adds commands on a shaded background. */
  code(text: Paragraphs): void {
    const style = { font: this.fonts.mono, size: 7.5, indent: 6, width: TEXT_WIDTH - 12 };
    const height = style.size * LEADING;
    for (const line of this.#lines(text, style)) {
      this.keep(height);
      this.#page.drawRectangle({
        x: MARGIN,
        y: this.#y - height + 1,
        width: TEXT_WIDTH,
        height: height + 0.2,
        color: SHADE,
      });
      this.#draw(line, this.#y - style.size, style);
      this.space(height);
    }
    this.space(4);
  }

  rule(): void {
    const y = this.#y;
    this.#page.drawLine({ start: { x: MARGIN, y }, end: { x: PAGE[0] - MARGIN, y }, thickness: 0.5, color: LINE });
  }

  /** Draws a QR code at the right margin, beside the following text. */
  qrCode(matrix: QrMatrix, side: number): void {
    const module = side / matrix.length;
    const left = PAGE[0] - MARGIN - side;
    matrix.forEach((modules, row) => {
      for (const { start, length } of darkRuns(modules)) {
        // Slightly taller than a module, to avoid hairlines between the rows.
        const place = { x: left + start * module, y: this.#y - (row + 1) * module };
        this.#page.drawRectangle({ ...place, width: length * module, height: module + 0.05, color: grayscale(0) });
      }
    });
  }

  /** Adds a footer with the page number to each page. */
  number(text: string): void {
    const pages = this.#pdf.getPages();
    const { regular } = this.fonts;
    const style = { font: regular, size: 8, color: SOFT };
    pages.forEach((page, index) => {
      const number = `${index + 1} of ${pages.length}`;
      const right = PAGE[0] - MARGIN - regular.width(number, style.size);
      this.#drawAt(page, printable(text, regular), { x: MARGIN, y: FOOTER, ...style });
      this.#drawAt(page, number, { x: right, y: FOOTER, ...style });
    });
  }

  #lines(text: Paragraphs, { font, size, indent = 0, width = TEXT_WIDTH - indent }: Style): string[] {
    return (typeof text === "string" ? [text] : text).flatMap((paragraph) =>
      linesOf(printable(paragraph, font), font, size, width),
    );
  }

  #line(line: string, style: Style): void {
    this.keep(style.size * LEADING);
    this.#draw(line, this.#y - style.size, style);
    this.space(style.size * LEADING);
  }

  #draw(text: string, y: number, { font, size, color = INK, indent = 0 }: Style): void {
    if (text !== "") this.#drawAt(this.#page, text, { x: MARGIN + indent, y, font, size, color });
  }

  #drawAt(page: PDFPage, text: string, { font, ...style }: TextPosition): void {
    const unturned = { rotate: NO_TURN, xSkew: NO_TURN, ySkew: NO_TURN };
    page.pushOperators(...drawText(font.encode(text), { ...style, ...unturned, font: this.#fontName(page, font) }));
  }

  /** Returns the name of a font in the resources of a page. */
  #fontName(page: PDFPage, font: PageFont): PDFName {
    let names = this.#fontNames.get(page);
    if (names === undefined) this.#fontNames.set(page, (names = new Map()));
    let name = names.get(font);
    if (name === undefined) names.set(font, (name = page.node.newFontDictionary(font.pdf.name, font.pdf.ref)));
    return name;
  }
}

function darkRuns(modules: readonly boolean[]): { start: number; length: number }[] {
  const runs: { start: number; length: number }[] = [];
  modules.forEach((isDark, place) => {
    const last = runs.at(-1);
    if (!isDark) return;
    if (last !== undefined && last.start + last.length === place) last.length += 1;
    else runs.push({ start: place, length: 1 });
  });
  return runs;
}

/** Modules of a QR code, row by row from the top; `true` is dark. */
export type QrMatrix = readonly (readonly boolean[])[];

/** Encodes a text as a QR code without the quiet zone. */
export function qrMatrix(text: string): QrMatrix {
  const { size, data } = qrcode.create(text, { errorCorrectionLevel: "M" }).modules;
  return Array.from({ length: size }, (_, row) =>
    Array.from(data.subarray(row * size, (row + 1) * size), (module) => module === 1),
  );
}
