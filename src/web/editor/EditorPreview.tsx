import { t } from '@lingui/core/macro';
import { useDebouncedValue } from '@mantine/hooks';
import { Suspense, useEffect } from 'react';
import { lazyComponent } from '#web/core/lazy.ts';
import classes from './Editor.module.css';

const Markdown = lazyComponent(async () => {
  const { Markdown } = await import('#web/ui/markdown/Markdown.tsx');
  return { default: Markdown };
});

/** In UTF-16 units. Rendering a longer text takes too long for every key press. */
const slowPreviewLength = 5000;

/**
 * The rendered text, updated when typing pauses.
 * @param onShown called after it has changed.
 */
export function EditorPreview({ text, onShown }: { text: string; onShown?: (text: string) => void }) {
  const [shown] = useDebouncedValue(text.trim(), text.length > slowPreviewLength ? 500 : 150);
  useEffect(() => onShown?.(shown), [shown, onShown]);
  if (shown === '') return <p className={classes.empty}>{t`Nothing to preview`}</p>;
  return (
    <Suspense>
      <Markdown text={shown} />
    </Suspense>
  );
}
