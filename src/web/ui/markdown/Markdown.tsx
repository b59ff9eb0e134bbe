import {
  Component,
  Fragment,
  memo,
  Suspense,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  type JSX,
  type ReactNode,
} from 'react';
import { isPageRendered } from '#web/core/hydration.ts';
import { lazyComponent } from '#web/core/lazy.ts';
import { getFormulas, hasFormula, loadFormulas, useHasFormulas } from './formulas.ts';
import { hasCodeLanguage, loadHighlighter } from './highlighter.ts';
import { splitLongWords } from './long-words.ts';
import './formula.css';
import classes from './Markdown.module.css';

export type MarkdownTextProps = {
  text: string;
  /** Whether the text was imported. Then line breaks do not stay as typed, and '#123' is not a question's number. */
  imported: boolean;
  /** The level of the highest heading in the text, for a correct outline of the page. */
  headingLevel: 2 | 3 | 4;
  /** Whether `$…$` in the text are formulas. */
  hasFormulas: boolean;
};

type Props = Pick<MarkdownTextProps, 'text'> &
  Partial<Pick<MarkdownTextProps, 'imported' | 'headingLevel'>> & { className?: string | undefined };

/**
 * Text by a member. Raw HTML is shown as text. Only http, https and mailto addresses become links. Nothing is fetched
 * from other hosts without a click. The parser is loaded after the page handles input: until then, the text stays as
 * the server has rendered it.
 */
export const Markdown = memo(function Markdown({
  text,
  imported = false,
  headingLevel = 3,
  className,
}: Props) {
  const hasFormulas = useHasFormulas() && hasFormula(text);
  const plain = <PlainText text={text} />;
  const { ref, fallback, onParsed } = useServerHtml(plain);
  return (
    <div ref={ref} className={className === undefined ? classes.text : `${classes.text} ${className}`}>
      <PlainTextOnError key={`${hasFormulas} ${text}`} plain={plain}>
        <Suspense fallback={fallback}>
          <ParsedText {...{ text, imported, headingLevel, hasFormulas, onParsed }} />
        </Suspense>
      </PlainTextOnError>
    </div>
  );
});

function ParsedText({ onParsed, ...props }: MarkdownTextProps & { onParsed: () => void }) {
  // Stays the same component, because another one would render the text again.
  const [Text] = useState(() => pickText(props));
  return (
    <>
      <Text {...props} />
      <Parsed onParsed={onParsed} />
    </>
  );
}

/** Its effect runs when the text beside it is loaded and rendered. */
function Parsed({ onParsed }: { onParsed: () => void }) {
  useEffect(() => onParsed(), [onParsed]);
  return null;
}

const loadText = () => import('./MarkdownText.tsx');
const LazyText = lazyComponent(loadText);
const TextWithCode = lazyComponent(async () => {
  await loadHighlighter();
  return loadText();
});
const TextWithFormulas = lazyComponent(async () => {
  await loadFormulas();
  return loadText();
});
const TextWithBoth = lazyComponent(async () => {
  await Promise.all([loadHighlighter(), loadFormulas()]);
  return loadText();
});

let loadedText: typeof LazyText | Awaited<ReturnType<typeof loadText>>['default'] | null = null;

/** The component that waits for what the text needs. */
function pickText({ text, hasFormulas }: MarkdownTextProps) {
  if (loadedText !== null && (!hasFormulas || getFormulas() !== null)) return loadedText;
  if (!hasFormulas) return hasCodeLanguage(text) ? TextWithCode : LazyText;
  return hasCodeLanguage(text) ? TextWithBoth : TextWithFormulas;
}

/** Loads what `Markdown` needs, so that it shows the parsed text at once. */
export async function preloadMarkdown(): Promise<void> {
  const [{ default: text }] = await Promise.all([loadText(), loadHighlighter()]);
  loadedText = text;
}

/**
 * Keeps what the server has rendered in an element until its code is loaded. If a context changes meanwhile, React
 * discards it and shows the fallback. A press on one of its buttons is repeated when the text handles input.
 */
function useServerHtml(plain: JSX.Element) {
  const [isHydrating, setHydrating] = useState(isPageRendered);
  const ref = useRef<HTMLDivElement>(null);
  const nodes = useRef<Element[]>([]);
  const pressed = useRef(-1);
  const [parsed] = useState(() => new AbortController());
  useLayoutEffect(() => {
    if (!isHydrating) return;
    nodes.current = [...(ref.current?.children ?? [])];
    // React has discarded the HTML, because another part of the page differed from it.
    if (nodes.current[0]?.className === classes.fromServer) {
      setHydrating(false);
      return;
    }
    const keepPress = ({ target }: MouseEvent) => {
      const at = listButtons(ref.current).findIndex((button) => button.contains(target as Node));
      if (at !== -1) pressed.current = at;
    };
    // React stops the event before it reaches an element that it has not hydrated.
    document.addEventListener('click', keepPress, { capture: true, signal: parsed.signal });
    return () => document.removeEventListener('click', keepPress, { capture: true });
  }, [isHydrating, parsed]);
  const onParsed = useCallback(() => {
    parsed.abort();
    const button = listButtons(ref.current)[pressed.current];
    pressed.current = -1;
    button?.focus();
    button?.click();
  }, [parsed]);
  const show = (box: HTMLDivElement | null) => box?.replaceChildren(...nodes.current);
  return {
    ref,
    onParsed,
    fallback: isHydrating ? <div ref={show} className={classes.fromServer} /> : plain,
  };
}

const listButtons = (box: HTMLElement | null) => [...(box?.querySelectorAll('button') ?? [])];

/** The text as it was typed. */
export function PlainText({ text }: { text: string }) {
  return (
    <p dir="auto" className={classes.plain}>
      {splitLongWords(text).map(({ from, part }) => (
        <Fragment key={from}>
          {from > 0 && <wbr />}
          {part}
        </Fragment>
      ))}
    </p>
  );
}

/** Shows the plain text if the parser fails, for example with a stack overflow. */
class PlainTextOnError extends Component<{ plain: JSX.Element; children: ReactNode }, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override render() {
    return this.state.failed ? this.props.plain : this.props.children;
  }
}
