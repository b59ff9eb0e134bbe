import { t } from '@lingui/core/macro';
import { TextInput } from '#web/ui/mantine/TextInput.tsx';
import { type CSSProperties, useId } from 'react';
import { type ColorTheme, colorThemes, deriveAccent, neutralColors } from '#shared/core/accent.ts';
import { type HexColor, toOklch } from '#shared/core/colors.ts';
import { defaultAccent, isColor } from '#shared/core/site-style.ts';
import classes from './ColorField.module.css';

/** A field for the accent color, with a preview in both themes of what will be used. Empty: the default color. */
export function ColorField({
  label,
  description,
  error,
  value,
  onChange,
}: {
  label: string;
  description: string;
  error: string | null;
  value: string;
  onChange: (value: string) => void;
}) {
  const text = value.trim();
  return (
    <>
      <TextInput
        label={label}
        description={description}
        error={error}
        classNames={{ wrapper: classes.input ?? '' }}
        dir="ltr"
        placeholder={defaultAccent}
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
        rightSection={
          <input
            type="color"
            className={classes.picker}
            aria-label={t`Choose a colour`}
            value={isColor(text) ? text.toLowerCase() : defaultAccent}
            onChange={({ currentTarget }) => onChange(currentTarget.value)}
          />
        }
      />
      {isColor(text) && (
        <div className={classes.themes}>
          {colorThemes.map((theme) => (
            <ThemePreview key={theme} color={text} theme={theme} />
          ))}
        </div>
      )}
    </>
  );
}

function ThemePreview({ color, theme }: { color: HexColor; theme: ColorTheme }) {
  const id = useId();
  const derived = deriveAccent(color, theme);
  const { paper, ink } = neutralColors[theme];
  const variables = Object.entries({ ...derived, paper, ink }).map(([name, each]) => [`--${name}`, each]);
  const { accent, 'accent-fill': fill } = derived;
  const notes = [describeChange(color, accent, 'texts'), describeChange(color, fill, 'buttons')];
  return (
    <section aria-labelledby={id}>
      <h3 id={id} className={classes.heading}>
        {theme === 'light' ? t`Light theme` : t`Dark theme`}
      </h3>
      <div className={classes.preview} style={Object.fromEntries(variables) as CSSProperties}>
        <span className={classes.link}>{t`A link`}</span>
        <span className={classes.wash}>{t`Selected`}</span>
        <span className={classes.button}>{t`Ask Question`}</span>
      </div>
      {notes.map(
        (note) =>
          note !== null && (
            <p key={note} className={classes.note}>
              {note}
            </p>
          ),
      )}
    </section>
  );
}

/** Null if the color is used as it is. */
function describeChange(chosen: HexColor, used: HexColor, where: 'texts' | 'buttons'): string | null {
  if (used === chosen.toLowerCase()) return null;
  const isDarker = toOklch(used).lightness < toOklch(chosen).lightness;
  if (where === 'texts')
    return isDarker
      ? t`Too light for links on this background. They have a darker colour: ${used}.`
      : t`Too dark for links on this background. They have a lighter colour: ${used}.`;
  return isDarker
    ? t`Too light for buttons on this background. They have a darker colour: ${used}.`
    : t`Too dark for buttons on this background. They have a lighter colour: ${used}.`;
}
