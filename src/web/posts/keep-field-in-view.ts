/** A notice above a field pushes it down. Scrolls the field that the member types in back into view. */
export function keepFieldInView(note: HTMLElement | null): void {
  const form = note?.closest('form');
  if (note == null || form == null || !form.contains(document.activeElement)) return;
  const { top, height } = note.getBoundingClientRect();
  const margin = Number.parseFloat(getComputedStyle(note).marginBlockEnd);
  if (top + height > 0) window.scrollBy({ top: height + margin, behavior: 'instant' });
}
