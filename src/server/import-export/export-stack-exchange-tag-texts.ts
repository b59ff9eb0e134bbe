import type { LineInput } from './jsonl-format.ts';
import { type createLinkWriter, row, toHtml, toTime } from './export-stack-exchange-xml.ts';

/**
 * `firstQuestionAt`: when the first question with the tag was written. Without one, archives leave out the texts of the
 * tag.
 */
export type ExportedTag = LineInput<'tags'> & { id: number; firstQuestionAt?: string };

/**
 * The numbers of texts of tags, which are posts in an archive. They are negative, because those of questions and answers
 * take all positive ones, and the same in each export.
 */
export const tagTextIds = { excerpt: (tag: number) => -2 * tag, wiki: (tag: number) => -2 * tag - 1 };

export function tagRow({ id, name, description, about, firstQuestionAt }: ExportedTag): string {
  const isDescribed = firstQuestionAt !== undefined;
  return row({
    Id: id,
    TagName: name,
    ExcerptPostId: isDescribed && description !== undefined ? tagTextIds.excerpt(id) : undefined,
    WikiPostId: isDescribed && about !== undefined ? tagTextIds.wiki(id) : undefined,
  });
}

/**
 * The excerpt and the wiki of a tag, as rows of Posts.xml.
 * @param settings.license of texts that were written here
 */
export function tagTextRows(
  { id, description, about, descriptionSource, aboutSource, firstQuestionAt }: ExportedTag,
  { links, license }: { links: ReturnType<typeof createLinkWriter>; license: string | undefined },
): string {
  if (firstQuestionAt === undefined) return '';
  const write = (text: {
    Id: number;
    PostTypeId: number;
    Body: string;
    ContentLicense: string | undefined;
  }) => row({ CreationDate: toTime(firstQuestionAt), Score: 0, ...text });
  const excerpt =
    description === undefined
      ? ''
      : write({
          Id: tagTextIds.excerpt(id),
          PostTypeId: 4,
          Body: description,
          ContentLicense: descriptionSource?.license ?? license,
        });
  const wiki =
    about === undefined
      ? ''
      : write({
          Id: tagTextIds.wiki(id),
          PostTypeId: 5,
          Body: links.inHtml(toHtml(about)),
          ContentLicense: aboutSource?.license ?? license,
        });
  return excerpt + wiki;
}
