import { type ChangeEvent, type Dispatch, type SetStateAction, useRef, useState } from 'react';

/** What is wrong with a field of a form, or with the whole form (null). */
export type Problem<Field> = { field: Field | null; message: string };

/**
 * The text fields of a form that shows one problem at a time. The field with the problem gets the focus.
 * @param state the texts by the names of their fields
 */
export function useFields<Texts extends Record<string, string>>([texts, setTexts]: readonly [
  Texts,
  Dispatch<SetStateAction<Texts>>,
]) {
  type Field = keyof Texts & string;
  const [problem, setProblem] = useState<Problem<Field> | null>(null);
  const elements = useRef<{ [name in Field]?: HTMLElement | null }>({});
  const focusField = (name: Field) => elements.current[name]?.focus();
  return {
    texts,
    setTexts,
    focusField,
    /** The properties of a field. */
    field: (name: Field) => ({
      ref: (element: HTMLElement | null) => void (elements.current[name] = element),
      value: texts[name],
      error: problem?.field === name && problem.message,
      onChange: ({ currentTarget: { value } }: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) =>
        setTexts((before) => ({ ...before, [name]: value })),
    }),
    /** Shows a problem; null removes it. */
    showProblem: (next: Problem<Field> | null) => {
      setProblem(next);
      if (next !== null && next.field !== null) focusField(next.field);
    },
    /** The problem of the whole form. */
    formError: problem?.field === null ? problem.message : null,
  };
}
