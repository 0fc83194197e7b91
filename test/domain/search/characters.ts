/** All code points of Unicode, lone surrogates included. */
export const everyCharacter = (): string[] =>
  Array.from({ length: 0x110000 }, (_, point) => String.fromCodePoint(point))

/** Assigned characters, without most of the ideographs, which have no case and no other forms. */
export const assignedCharacters = (): string[] =>
  everyCharacter().filter((character) => /[^\p{Cn}\p{Co}\p{Cs}\p{Unified_Ideograph}]/u.test(character))
