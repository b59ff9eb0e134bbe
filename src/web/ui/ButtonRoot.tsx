import type { ComponentProps, MouseEvent } from 'react';

/**
 * The element of every button. While it is at work a press does nothing, and it keeps the focus: from one that is
 * switched off browsers take it, and whoever uses the keyboard begins again at the top of the page.
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
