/** A random id. `crypto.randomUUID` is not available over plain HTTP. */
export const createRandomId = () =>
  Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('-')
