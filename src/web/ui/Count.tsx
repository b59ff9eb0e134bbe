import { countOf } from '#shared/counts.ts';

/** '3 upvotes'; a shortened number ('1.2k views') has the exact one as its title. */
export function Count({
  of,
  singular,
  plural = `${singular}s`,
}: {
  of: number;
  singular: string;
  plural?: string;
}) {
  return (
    <span title={of > 999 ? `${of.toLocaleString('en')} ${plural}` : undefined}>
      {countOf(of, singular, plural)}
    </span>
  );
}
