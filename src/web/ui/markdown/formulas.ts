import { useQuery } from '@tanstack/react-query';
import { type Session, sessionQuery } from '#web/core/session.ts';
import type * as Formulas from './Formula.tsx';

let loaded: typeof Formulas | null = null;

/** Whether a text may have a formula: some texts with two dollar signs have none. */
export function hasFormula(text: string): boolean {
  return text.includes('$') && text.indexOf('$') !== text.lastIndexOf('$');
}

/** Whether posts show formulas on this site. */
export function useHasFormulas(): boolean {
  return useQuery({ ...sessionQuery, enabled: false, select: isSwitchedOn }).data === true;
}

const isSwitchedOn = (session: Session) => session.formulas === true;

/** What renders formulas; null until `loadFormulas` has loaded it. */
export function getFormulas(): typeof Formulas | null {
  return loaded;
}

/** Does nothing if it cannot be loaded: then the text shows the source of its formulas. */
export async function loadFormulas(): Promise<void> {
  try {
    loaded = await import('./Formula.tsx');
  } catch {}
}
