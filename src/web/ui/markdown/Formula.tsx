import { t } from '@lingui/core/macro';
import { useMemo, type JSX } from 'react';
import type { ExtraProps } from 'hast-util-to-jsx-runtime';
import { renderFormula } from './render-formula.ts';
import { getPlacedFormula, placeFormulas } from './place-formulas.ts';
import { extractFormulas, type FormulaSource } from './find-formulas.ts';
import { ScrollBox } from './ScrollBox.tsx';

// What `loadFormulas` loads.
export { extractFormulas, placeFormulas };

export function Formula({ node }: ExtraProps): JSX.Element | null {
  const formula = node === undefined ? null : getPlacedFormula(node);
  return formula === null ? null : <RenderedFormula {...formula} />;
}

/** A formula as MathML, which screen readers read, or its source with the reason why it cannot be shown. */
function RenderedFormula({ source, tex, isBlock }: FormulaSource) {
  const { math, error } = useMemo(() => renderFormula(tex, isBlock), [tex, isBlock]);
  if (math === null) return <code title={t`This formula cannot be shown: ${error}`}>{source}</code>;
  if (!isBlock)
    return (
      <span dir="ltr" className="formula formula-inline">
        {math}
      </span>
    );
  return (
    <ScrollBox label={t`Formula`} dir="ltr" className="formula formula-block">
      {math}
    </ScrollBox>
  );
}
