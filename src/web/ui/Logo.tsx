/** Two speech bubbles that meet. */
export function Logo({ size = 28 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <path fill="var(--accent)" d="M16 16H9a7 7 0 1 1 7-7z" />
      <path fill="var(--amber-fill)" d="M16 16h7a7 7 0 1 1-7 7z" />
    </svg>
  );
}
