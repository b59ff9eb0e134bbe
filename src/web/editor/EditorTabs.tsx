import { t } from '@lingui/core/macro';
import { IconLayoutColumns } from '@tabler/icons-react';
import type { KeyboardEvent } from 'react';
import classes from './Editor.module.css';
import fieldStyles from './field.module.css';

type Props = {
  id: string;
  preview: boolean;
  onChange: (preview: boolean) => void;
};

/** The tabs of an editor: write and preview. */
export function EditorTabs({ id, preview, onChange }: Props) {
  const tabs = [
    { key: 'write', name: t`Write`, selected: !preview },
    { key: 'preview', name: t`Preview`, selected: preview },
  ];
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
    event.preventDefault();
    onChange(!preview);
    document.getElementById(`${id}-${preview ? 'write' : 'preview'}`)?.focus();
  };
  return (
    <div role="tablist" aria-label={t`Editor view`} className={fieldStyles.views}>
      {tabs.map(({ key, name, selected }) => (
        <button
          key={key}
          type="button"
          role="tab"
          id={`${id}-${key}`}
          aria-selected={selected}
          aria-controls={selected ? `${id}-${key}-panel` : undefined}
          tabIndex={selected ? 0 : -1}
          className={fieldStyles.view}
          onClick={() => onChange(key === 'preview')}
          onKeyDown={onKeyDown}
        >
          {name}
        </button>
      ))}
    </div>
  );
}

/** Shows or hides the preview at the side. */
export function SidePreviewButton({ pressed, onPress }: { pressed: boolean; onPress: () => void }) {
  return (
    <button
      type="button"
      aria-pressed={pressed}
      aria-label={t`Side-by-side preview`}
      title={t`Side-by-side preview`}
      className={`${classes.tool} ${classes.sidePreview}`}
      onClick={onPress}
    >
      <IconLayoutColumns size={18} stroke={1.7} aria-hidden="true" />
    </button>
  );
}
