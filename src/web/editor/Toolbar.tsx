import type MarkdownToolbarElement from '@github/markdown-toolbar-element';
import { t } from '@lingui/core/macro';
import {
  IconBlockquote,
  IconBold,
  IconCode,
  IconHeading,
  IconItalic,
  IconLink,
  IconList,
  IconListNumbers,
  IconPhoto,
  IconSourceCode,
  IconTable,
  type TablerIcon,
} from '@tabler/icons-react';
import { type Ref, useEffect, useRef } from 'react';
import { pictureTypes } from '#shared/core/uploads.ts';
import type { FieldText, TextEdit } from './text-edits.ts';
import { insertEmptyTable, wrapInFence } from './wrap-selection.ts';
import classes from './Editor.module.css';

/** The styles of the toolbar element. */
export type TextStyle =
  | 'bold'
  | 'italic'
  | 'header-3'
  | 'quote'
  | 'code'
  | 'link'
  | 'unordered-list'
  | 'ordered-list';

type Tool = { name: string; Icon: TablerIcon; keys?: string } & (
  | { style: TextStyle }
  /** Edits that the toolbar element does not have. */
  | { edit: (field: FieldText) => TextEdit }
  | { opens: 'pictures' }
);

const tools = (): Tool[] => [
  { style: 'bold', name: t`Bold`, Icon: IconBold, keys: 'B' },
  { style: 'italic', name: t`Italic`, Icon: IconItalic, keys: 'I' },
  { style: 'header-3', name: t`Heading`, Icon: IconHeading },
  { style: 'quote', name: t`Quote`, Icon: IconBlockquote, keys: 'Shift+.' },
  { style: 'code', name: t`Code`, Icon: IconCode, keys: 'E' },
  { edit: wrapInFence, name: t`Code block`, Icon: IconSourceCode, keys: 'Shift+E' },
  { style: 'link', name: t`Link`, Icon: IconLink, keys: 'K' },
  { name: t`Picture`, Icon: IconPhoto, opens: 'pictures' },
  { style: 'unordered-list', name: t`Bulleted list`, Icon: IconList, keys: 'Shift+8' },
  { style: 'ordered-list', name: t`Numbered list`, Icon: IconListNumbers, keys: 'Shift+7' },
  { edit: insertEmptyTable, name: t`Table`, Icon: IconTable },
];

const modifier = /Mac|iPhone|iPad/u.test(navigator.userAgent) ? '⌘' : 'Ctrl+';

type Props = {
  fieldId: string;
  ref: Ref<MarkdownToolbarElement>;
  onEdit: (edit: (field: FieldText) => TextEdit) => void;
  onPictures: (files: readonly File[]) => void;
};

/** The buttons that format the selected text. Arrow keys move between them; Tab enters and leaves the toolbar. */
export function Toolbar({ fieldId, ref, onEdit, onPictures }: Props) {
  const chooser = useRef<HTMLInputElement>(null);
  // Defines the element, which needs a browser.
  useEffect(() => void import('@github/markdown-toolbar-element'), []);
  return (
    <markdown-toolbar
      for={fieldId}
      ref={ref}
      className={classes.toolbar}
      data-fade-edges
      aria-label={t`Formatting`}
    >
      {tools().map((tool) => (
        <button
          key={tool.name}
          type="button"
          // The toolbar element moves the focus between buttons with this attribute.
          data-md-button={'style' in tool ? tool.style : ''}
          tabIndex={-1}
          aria-label={tool.name}
          title={tool.keys === undefined ? tool.name : `${tool.name} (${modifier}${tool.keys})`}
          className={classes.tool}
          {...('edit' in tool && { onClick: () => onEdit(tool.edit) })}
          {...('opens' in tool && { 'data-sign-in': 'act', onClick: () => chooser.current?.click() })}
        >
          <tool.Icon size={18} stroke={1.7} aria-hidden="true" />
        </button>
      ))}
      <input
        ref={chooser}
        type="file"
        accept={pictureTypes}
        multiple
        hidden
        aria-label={t`Picture`}
        onChange={({ currentTarget }) => {
          onPictures([...(currentTarget.files ?? [])]);
          // The same file can be chosen again.
          currentTarget.value = '';
        }}
      />
    </markdown-toolbar>
  );
}
