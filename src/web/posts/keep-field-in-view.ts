/** A note pushes the field of its form down; what somebody is typing in must stay under their eyes. */
export function keepFieldInView(note: HTMLElement | null): void {
  const form = note?.closest('form');
  if (note == null || form == null || !form.contains(document.activeElement)) return;
  const { top, height } = note.getBoundingClientRect();
  const margin = Number.parseFloat(getComputedStyle(note).marginBlockEnd);
  if (top + height > 0) window.scrollBy({ top: height + margin, behavior: 'instant' });
}
