import classes from './DescriptionList.module.css';

/** Texts of members below what they are about; nothing without texts. */
export function DescriptionList({ items }: { items: readonly { term: string; text: string }[] }) {
  if (items.length === 0) return null;
  return (
    <dl className={classes.list}>
      {items.map(({ term, text }) => (
        <div key={term}>
          <dt dir="auto">{term}</dt>
          <dd dir="auto">{text}</dd>
        </div>
      ))}
    </dl>
  );
}
