// The public file of this area: other areas import from here only.
export { Editor, type EditorHandle } from './Editor.tsx';
export { isInCode } from './code-blocks.ts';
export { keepFieldInView } from './field-size.ts';
export type { MentionableMember } from './suggestion-items.ts';
export { findLineEnd } from './text-edits.ts';
export { QuietField } from './QuietField.tsx';
