import type { ComponentProps, MouseEvent } from 'react';

/**
 * The element of every button. A loading button ignores presses but keeps the focus: browsers take it from a disabled
 * button, and keyboard users would start again at the top of the page.
 */
export function ButtonRoot({ disabled, onClick, ...props }: ComponentProps<'button'> & LoadingProps) {
  const isLoading = props['data-loading'] === true && props['data-disabled'] !== true;
  return (
    <button
      {...props}
      disabled={disabled === true && !isLoading}
      {...(isLoading && { 'aria-disabled': true, 'aria-busy': true })}
      onClick={isLoading ? doNothing : onClick}
    />
  );
}

type LoadingProps = { 'data-loading'?: boolean; 'data-disabled'?: boolean };

const doNothing = (event: MouseEvent) => event.preventDefault();
