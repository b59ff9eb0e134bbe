/** Why an archive cannot be imported, as a sentence for the operator. Nothing was imported when it is thrown. */
export class ArchiveProblem extends Error {
  override readonly name = 'ArchiveProblem';
}
