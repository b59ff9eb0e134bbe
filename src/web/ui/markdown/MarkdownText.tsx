import { t } from '@lingui/core/macro';
import { IconPhoto, IconSquare, IconSquareCheck } from '@tabler/icons-react';
import { createContext, useContext, useId, useMemo, type ComponentProps } from 'react';
import { Fragment, jsx, jsxs } from 'react/jsx-runtime';
import { toJsxRuntime, type Components, type ExtraProps } from 'hast-util-to-jsx-runtime';
import { parseUploadPath } from '#shared/core/uploads.ts';
import { getSiteOrigin } from '#web/core/paths.ts';
import { Link } from '#web/ui/Link.tsx';
import { fitBlocks, getNodeText } from './fit-blocks.ts';
import { CodeBlock } from './CodeBlock.tsx';
import { getFormulas } from './formulas.ts';
import { getHighlighter, hasCodeLanguage } from './highlighter.ts';
import { type MarkdownTextProps, PlainText } from './Markdown.tsx';
import { useQuestionTitles } from './useQuestionTitles.ts';
import { getInternalPath, getPicturePath, linkInternally, findQuestionReferences } from './links.ts';
import { parseMarkdown, type TreeChange } from './parse-markdown.ts';
import { Picture } from './Picture.tsx';
import { sanitizeUrl } from './sanitize-url.ts';
import { ScrollBox } from './ScrollBox.tsx';
import classes from './Markdown.module.css';

/** The parsed text of `Markdown`; the plain text if parsing would take too long. */
export default function MarkdownText({ text, imported, headingLevel, hasFormulas }: MarkdownTextProps) {
  // Gives the footnotes of each post on the page their own ids.
  const idPrefix = `note-${useId().replaceAll(/\W/g, '')}-`;
  const highlighter = hasCodeLanguage(text) ? getHighlighter() : null;
  const named = useMemo(() => (imported ? [] : findQuestionReferences(text)), [imported, text]);
  const titles = useQuestionTitles(named);
  const formulas = hasFormulas ? getFormulas() : null;
  const extracted = useMemo(() => formulas?.extractFormulas(text) ?? null, [formulas, text]);
  const withFormulas = useMemo(
    () => (formulas === null ? components : { ...components, math: formulas.Formula }),
    [formulas],
  );
  const tree = useMemo(() => {
    const changes: TreeChange[] = [
      linkInternally({ titles, origin: getSiteOrigin() }),
      fitBlocks({ highest: headingLevel }),
    ];
    if (formulas !== null && extracted !== null) changes.unshift(formulas.placeFormulas(extracted.formulas));
    if (highlighter !== null) changes.push(highlighter);
    return parseMarkdown(text, {
      withPlaceholders: extracted?.text,
      breaks: !imported,
      idPrefix,
      hiddenClass: classes.hidden ?? '',
      changes,
      transformUrl: (address, element) =>
        getInternalPath(element) ?? getPicturePath(element) ?? sanitizeUrl(address, `#${idPrefix}`),
    });
  }, [text, imported, idPrefix, titles, headingLevel, highlighter, formulas, extracted]);
  if (tree === null) return <PlainText text={text} />;
  return toJsxRuntime(tree, {
    Fragment,
    jsx,
    jsxs,
    components: withFormulas,
    ignoreInvalidStyle: true,
    passKeys: true,
    passNode: true,
  });
}

const InsideLinkContext = createContext(false);

function TextLink({
  href,
  children,
  title,
  id,
  className,
  node,
  'aria-describedby': describedBy,
}: ComponentProps<'a'> & ExtraProps) {
  const inside = node === undefined ? null : getInternalPath(node);
  if (inside !== null) {
    const isMention = node?.properties['dataMention'] !== undefined;
    return (
      <InsideLinkContext value={true}>
        <Link href={inside} title={title} className={isMention ? classes.mention : undefined}>
          {children}
        </Link>
      </InsideLinkContext>
    );
  }
  if (href === undefined || href === '') return <span>{children}</span>;
  return (
    <InsideLinkContext value={true}>
      <a
        href={href}
        rel="nofollow ugc noopener"
        data-printed={isUrlVisible(href, node) ? undefined : href}
        title={title}
        id={id}
        className={className}
        aria-describedby={describedBy}
      >
        {children}
      </a>
    </InsideLinkContext>
  );
}

/**
 * Whether the text of a link is its address, or the link leads to a place in the same text. Then print needs no address
 * after it.
 */
function isUrlVisible(href: string, node: ExtraProps['node']): boolean {
  return href.startsWith('#') || (node !== undefined && href.endsWith(getNodeText(node)));
}

/**
 * A picture of this site. Other images are links: loading one would tell another server who reads the post.
 */
function Image({ src, alt }: ComponentProps<'img'>) {
  const insideLink = useContext(InsideLinkContext);
  const file = typeof src === 'string' ? parseUploadPath(src) : null;
  if (file !== null) return <Picture file={file} alt={alt} inLink={insideLink} />;
  const label = (
    <>
      <IconPhoto size="1.1em" stroke={1.6} aria-hidden="true" />{' '}
      {alt === undefined || alt === '' ? t`Image` : alt}
    </>
  );
  if (insideLink || typeof src !== 'string' || src === '')
    return <span className={classes.image}>{label}</span>;
  return (
    <a href={src} rel="nofollow ugc noopener" className={classes.image}>
      {label}
    </a>
  );
}

function Table({ children }: ComponentProps<'table'>) {
  return (
    <ScrollBox label={t`Table`} className={classes.tableBox}>
      <table>{children}</table>
    </ScrollBox>
  );
}

function TaskBox({ checked }: ComponentProps<'input'>) {
  const Icon = checked ? IconSquareCheck : IconSquare;
  return (
    <>
      <Icon size="1.1em" stroke={1.6} aria-hidden="true" className={classes.task} />
      <span className={classes.hidden}>{checked ? t`Done: ` : t`To do: `}</span>
    </>
  );
}

const components: Components = {
  a: TextLink,
  img: Image,
  pre: CodeBlock,
  table: Table,
  input: TaskBox,
};
