import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { escapeMarkup } from '#server/core/markup.ts';
import { answerOnce } from '#server/core/limited-process.ts';
import type { PreviewReply, PreviewTexts } from './preview-pictures.ts';

// The program of the process that renders one preview picture and then ends (preview-pictures.ts starts it). Pango breaks
// the lines, also in long words, and orders text from right to left. It takes characters that the font lacks from the
// fonts of the system.

sharp.concurrency(1);

const fontDirectory = import.meta.resolve('@expo-google-fonts/source-serif-4/package.json');
const fontFile = (name: string) => fileURLToPath(new URL(`${name}.ttf`, fontDirectory));
const semibold = { font: 'Source Serif 4 SemiBold', file: fontFile('600SemiBold/SourceSerif4_600SemiBold') };
const regular = { font: 'Source Serif 4', file: fontFile('400Regular/SourceSerif4_400Regular') };

const size = { width: 1200, height: 630 };
const margin = 80;
const textWidth = size.width - 2 * margin;
const titleTop = 176;
const titleHeight = 300;
const titleSizes = [72, 60, 50, 42, 36];
/** As in src/web/app/theme.css. */
const colors = { paper: '#fbf9f4', ink: '#1f1c18', inkSoft: '#534d44', amber: '#f0b44c' };

answerOnce(render);

async function render({ site, title, byline, color }: PreviewTexts): Promise<PreviewReply> {
  const name = await renderText(site, { ...semibold, px: 44, color: colors.ink });
  const heading = await renderTitle(title);
  const line = await renderText(byline, { ...regular, px: 36, color: colors.inkSoft });
  const place = (text: TextImage, top: number) => ({ input: text.input, left: text.left, top });
  const png = await sharp({ create: { ...size, channels: 3, background: colors.paper } })
    .composite([
      { input: block(size.width, 12, color), left: 0, top: size.height - 12 },
      { input: block(48, 6, colors.amber), left: margin, top: 136 },
      place(name, 68),
      place(heading, titleTop),
      place(line, size.height - 110),
    ])
    .png({ palette: true, colours: 64 })
    .toBuffer();
  return { png };
}

type TextImage = { input: Buffer; left: number; width: number; height: number };
type TextStyle = { font: string; file: string; px: number; color: string };

/** In the largest size in which the title fits; the lines that still do not fit are cut off. */
async function renderTitle(title: string): Promise<TextImage> {
  for (const px of titleSizes) {
    const text = await renderText(title, { ...semibold, px, color: colors.ink });
    if (text.height <= titleHeight) return text;
  }
  const text = await renderText(title, { ...semibold, px: titleSizes.at(-1) ?? 36, color: colors.ink });
  const input = await sharp(text.input)
    .extract({ left: 0, top: 0, width: text.width, height: titleHeight })
    .png()
    .toBuffer();
  return { ...text, input, height: titleHeight };
}

/** Text from right to left begins at the right margin. */
async function renderText(text: string, { font, file, px, color }: TextStyle): Promise<TextImage> {
  // At 72 dots per inch, a point of a font size is a pixel. A text of blanks only would be an error.
  const { data, info } = await sharp({
    text: {
      text: `<span foreground="${color}">${escapeMarkup(removeControls(text) || ' - ')}</span>`,
      font: `${font} ${px}`,
      fontfile: file,
      width: textWidth,
      wrap: 'word-char',
      rgba: true,
      dpi: 72,
    },
  })
    .png()
    .toBuffer({ resolveWithObject: true });
  const { width, height } = info;
  const left = startsRightToLeft.test(text) ? Math.max(0, size.width - margin - width) : margin;
  return { input: data, left, width: Math.min(width, size.width), height };
}

/** Characters that markup of Pango must not contain, and those that change the direction of the text after them. */
const removeControls = (text: string) => text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}]/gu, '').trim();

/** Whether the first letter belongs to a script from right to left. */
const startsRightToLeft = /^\P{L}*[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}]/u;

const block = (width: number, height: number, color: string) =>
  Buffer.from(
    `<svg width="${width}" height="${height}"><rect width="100%" height="100%" fill="${color}"/></svg>`,
  );
