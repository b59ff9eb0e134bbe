import { t } from '@lingui/core/macro';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useEffect, useState, type ComponentProps } from 'react';
import type { ExtraProps } from 'hast-util-to-jsx-runtime';
import { getNodeText } from './fit-blocks.ts';
import { copyText } from '#web/ui/copy-text.ts';
import { getCodeLanguageName } from './language-names.ts';
import { ScrollBox } from './ScrollBox.tsx';
import classes from './Markdown.module.css';

type Element = NonNullable<ExtraProps['node']>;

/** A code block with its language and a copy button. */
export function CodeBlock({ node, children }: ComponentProps<'pre'> & ExtraProps) {
  const typed = node === undefined ? null : getCodeLanguage(node);
  const language = typed === null ? null : getCodeLanguageName(typed);
  return (
    <div className={classes.codeBlock}>
      <div className={classes.codeBar}>
        <span>{language}</span>
        <CopyButton text={() => (node === undefined ? '' : getNodeText(node).replace(/\n$/u, ''))} />
      </div>
      <ScrollBox
        label={language === null ? t`Code` : t`Code in ${language}`}
        dir="ltr"
        className={classes.codeScroll}
      >
        <pre className={classes.code}>{children}</pre>
      </ScrollBox>
    </div>
  );
}

function CopyButton({ text }: { text: () => string }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = window.setTimeout(() => setCopied(false), 2000);
    return () => window.clearTimeout(timer);
  }, [copied]);

  const copy = async () => setCopied(await copyText(text()));
  const Icon = copied ? IconCheck : IconCopy;
  return (
    <button type="button" className={classes.copyCode} onClick={() => void copy()}>
      <Icon size={14} stroke={1.8} aria-hidden="true" />
      <span aria-live="polite">{copied ? t`Copied` : t`Copy`}</span>
    </button>
  );
}

function getCodeLanguage(pre: Element): string | null {
  const code = pre.children.find((child) => child.type === 'element' && child.tagName === 'code');
  const names = code?.type === 'element' ? code.properties['className'] : null;
  if (!Array.isArray(names)) return null;
  const name = names.find((name) => typeof name === 'string' && name.startsWith('language-'));
  return typeof name === 'string' ? name.slice('language-'.length) : null;
}
