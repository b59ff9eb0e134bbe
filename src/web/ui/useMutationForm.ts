import type { UseMutationResult } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef } from 'react';
import { ApiError } from '#web/core/errors.ts';

/**
 * A form that a mutation sends, and whose rules the server checks. The first field that it refuses gets the focus.
 * @param fields those that show their errors
 */
export function useMutationForm<Field extends string>(
  { error, isPending, mutate }: UseMutationResult<unknown, Error, void>,
  fields: readonly Field[],
) {
  const ref = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (error !== null) ref.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  }, [error]);
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (!isPending) mutate();
  };
  const errorOf = (field: Field) => (error instanceof ApiError ? error.messageForField(field) : null);
  const isAtField = fields.some((field) => errorOf(field) !== null);
  return {
    /** The properties of the form. */
    form: { ref, noValidate: true, onSubmit },
    errorOf,
    /** The error of the whole form. */
    formError: isAtField ? null : (error?.message ?? null),
  };
}
