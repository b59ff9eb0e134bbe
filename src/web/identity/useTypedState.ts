import { i18n } from '@lingui/core';
import { useEffect, useState } from 'react';

const typed = new Map<string, unknown>();

/**
 * Like `useState`, but a change of the language, which mounts all components again (app/App.tsx), does not reset it. The
 * value is forgotten when the form is left.
 * @param name of the field, unique in the program
 */
export function useTypedState<Value>(name: string, initial: Value | (() => Value)) {
  const [value, setValue] = useState<Value>(typed.has(name) ? (typed.get(name) as Value) : initial);
  useEffect(() => void typed.set(name, value), [name, value]);
  useEffect(() => {
    const { locale } = i18n;
    return () => {
      if (i18n.locale === locale) typed.delete(name);
    };
  }, [name]);
  return [value, setValue] as const;
}
