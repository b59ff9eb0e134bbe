import '@github/markdown-toolbar-element';
import {
  IconBlockquote,
  IconBold,
  IconCode,
  IconHeading,
  IconItalic,
  IconLink,
  IconList,
  IconListNumbers,
  type TablerIcon,
} from '@tabler/icons-react';
import type { Ref } from 'react';
import type MarkdownToolbarElement from '@github/markdown-toolbar-element';
import classes from './Editor.module.css';

/** What the toolbar element calls its styles. */
export type TextStyle =
  | 'bold'
  | 'italic'
  | 'header-3'
  | 'quote'
  | 'code'
  | 'link'
  | 'unordered-list'
  | 'ordered-list';

const tools: readonly { style: TextStyle; name: string; Icon: TablerIcon; key?: string }[] = [
  { style: 'bold', name: 'Bold', Icon: IconBold, key: 'B' },
  { style: 'italic', name: 'Italic', Icon: IconItalic, key: 'I' },
  { style: 'header-3', name: 'Heading', Icon: IconHeading },
  { style: 'quote', name: 'Quote', Icon: IconBlockquote },
  { style: 'code', name: 'Code', Icon: IconCode, key: 'E' },
  { style: 'link', name: 'Link', Icon: IconLink, key: 'K' },
  { style: 'unordered-list', name: 'Bulleted list', Icon: IconList },
  { style: 'ordered-list', name: 'Numbered list', Icon: IconListNumbers },
];

const modifier = /Mac|iPhone|iPad/u.test(navigator.userAgent) ? '⌘' : 'Ctrl+';

/** Buttons that mark up the selected text of a text field. Arrow keys move between them; Tab enters and leaves. */
export function Toolbar({ fieldId, ref }: { fieldId: string; ref: Ref<MarkdownToolbarElement> }) {
  return (
    <markdown-toolbar for={fieldId} ref={ref} className={classes.toolbar} aria-label="Formatting">
      {tools.map(({ style, name, Icon, key }) => (
        <button
          key={style}
          type="button"
          data-md-button={style}
          tabIndex={-1}
          aria-label={name}
          title={key === undefined ? name : `${name} (${modifier}${key})`}
          className={classes.tool}
        >
          <Icon size={18} stroke={1.7} aria-hidden="true" />
        </button>
      ))}
    </markdown-toolbar>
  );
}

/** Presses the tool as if by hand. */
export function applyStyle(toolbar: MarkdownToolbarElement | null, style: TextStyle): void {
  toolbar?.querySelector<HTMLButtonElement>(`[data-md-button="${style}"]`)?.click();
}
