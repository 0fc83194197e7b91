/** Something nobody else comes up with; also where the page came without encryption, and there is no `randomUUID`. */
export const createRandomId = () =>
  Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('-')
