import { type DragEvent, useState } from 'react';

/**
 * Accepts files that are dropped on an element. Other things, such as text, are dropped as usual.
 * @param onFiles called with at least one file.
 */
export function useDropTarget(onFiles: (files: [File, ...File[]]) => void) {
  const [isDropping, setDropping] = useState(false);
  const dropTarget = {
    onDragOver(event: DragEvent) {
      if (![...event.dataTransfer.items].some(({ kind }) => kind === 'file')) return;
      event.preventDefault();
      setDropping(true);
    },
    onDragLeave: () => setDropping(false),
    onDrop(event: DragEvent) {
      setDropping(false);
      const [file, ...others] = event.dataTransfer.files;
      if (file === undefined) return;
      event.preventDefault();
      onFiles([file, ...others]);
    },
  };
  /** `isDropping`: whether files are dragged over the element. `dropTarget`: its handlers. */
  return { isDropping, dropTarget };
}
