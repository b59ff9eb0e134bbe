/** A color as `#rrggbb` in lower case. */
export type HexColor = `#${string}`;

/** Lightness from 0 to 1, chroma from 0 to about 0.32, hue in radians (CSS Color 4, Oklch). */
export type Oklch = { lightness: number; chroma: number; hue: number };

/** The contrast ratio of two colors, from 1 to 21 (WCAG 2.2, contrast ratio). */
export function getContrast(one: HexColor, other: HexColor): number {
  const [dark = 0, light = 0] = [luminanceOf(one), luminanceOf(other)].toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function luminanceOf(color: HexColor): number {
  const [red, green, blue] = linearOf(color);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Red, green and blue from 0 to 1, without gamma. */
type LinearColor = [red: number, green: number, blue: number];

function linearOf(color: HexColor): LinearColor {
  const channel = (at: number) => {
    const value = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return [channel(1), channel(3), channel(5)];
}

/** Converts to Oklch, where colors of the same lightness look equally light (https://bottosson.github.io/posts/oklab). */
export function toOklch(color: HexColor): Oklch {
  const [red, green, blue] = linearOf(color);
  const l = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue);
  const m = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue);
  const s = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue);
  const a = 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s;
  const b = 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s;
  return {
    lightness: 0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    chroma: Math.hypot(a, b),
    hue: Math.atan2(b, a),
  };
}

/** Converts from Oklch. A color that screens cannot show gets less chroma: lightness and hue stay. */
export function fromOklch({ lightness, chroma, hue }: Oklch): HexColor {
  let [possible, impossible] = [0, chroma];
  if (isShown(toLinear({ lightness, chroma, hue }))) possible = chroma;
  else
    while (impossible - possible > 0.0005) {
      const middle = (possible + impossible) / 2;
      if (isShown(toLinear({ lightness, chroma: middle, hue }))) possible = middle;
      else impossible = middle;
    }
  const channels = toLinear({ lightness, chroma: possible, hue }).map(toHexChannel);
  return `#${channels.join('')}`;
}

const tolerance = 0.0005;
const isShown = (color: LinearColor) => color.every((value) => value >= -tolerance && value <= 1 + tolerance);

function toLinear({ lightness, chroma, hue }: Oklch): LinearColor {
  const [a, b] = [chroma * Math.cos(hue), chroma * Math.sin(hue)];
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
}

function toHexChannel(linear: number): string {
  const value = Math.min(1, Math.max(0, linear));
  const encoded = value <= 0.0031308 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055;
  return Math.round(encoded * 255)
    .toString(16)
    .padStart(2, '0');
}
