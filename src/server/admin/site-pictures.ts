import { createHash } from 'node:crypto';
import { type Database, type Reader, transaction } from '#server/core/database.ts';
import { lockSetting } from '#server/core/site-settings.ts';
import { encodePicture } from '#server/posts/index.ts';
import { emailLogoFile, iconFiles, logoFile, type SitePictureName } from '#shared/core/site-pictures.ts';
import { insertSitePictureFiles, readSitePictureFile } from './settings-queries.ts';
import { replaceValue } from './settings.ts';

/**
 * Encodes a picture and makes it the logo or the icon of the site, with an entry of the moderation log. Returns the new
 * value of the setting.
 * @throws ProblemError for files that are refused, and if too many pictures wait
 */
export async function changeSitePicture(
  db: Database,
  { adminId, name, bytes }: { adminId: number; name: SitePictureName; bytes: Uint8Array },
): Promise<string> {
  const encoded = await encodePicture(bytes, name);
  const largest = encoded.reduce((one, other) => (other.width > one.width ? other : one));
  const hash = createHash('sha256').update(name).update(bytes).digest('base64url').slice(0, 22);
  const picture = `${hash}-${largest.width}x${largest.height}`;
  const names = name === 'logo' ? [logoFile, emailLogoFile] : iconFiles.map(({ file }) => file);
  const files = encoded.map(({ content }, index) => ({ file: names[index] ?? '', content }));
  await transaction(db, async (tx) => {
    await lockSetting(tx, name);
    await insertSitePictureFiles(tx, { picture, files });
    await replaceValue(tx, { adminId, name, value: picture });
  });
  return picture;
}

/** The logo that emails contain, as a PNG. Undefined if it was replaced and deleted. */
export const readEmailLogo = (db: Reader, logo: string) =>
  readSitePictureFile(db, { picture: logo, file: emailLogoFile });
