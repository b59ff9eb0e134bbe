export function KeyboardShortcuts() {
  return null;
}
