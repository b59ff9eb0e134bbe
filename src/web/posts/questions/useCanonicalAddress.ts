import { useRouter } from '#web/core/router.ts';
import { useEffect } from 'react';
import { createSlug, questionPath } from '#shared/posts/question-paths.ts';

/**
 * Replaces the address of a question's page by the one with the readable title, as the server redirects
 * (docs/decisions/056): after '/question/5' was opened inside the app, and when the title changes. Scroll position and
 * focus stay.
 * @param title undefined while it is unknown
 * @param slug the one in the address
 */
export function useCanonicalAddress({
  id,
  title,
  slug = '',
}: {
  id: number;
  title: string | undefined;
  slug: string | undefined;
}): void {
  const router = useRouter();
  useEffect(() => {
    if (title === undefined) return;
    const canonical = createSlug(title);
    if (canonical === slug.normalize('NFC')) return;
    router.replaceAddress({ pathname: questionPath(id, title) });
  }, [router, id, title, slug]);
}
