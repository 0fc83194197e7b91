import type { Author } from '../../contract/shapes'

/** Stands next to the name of an app, also that of an incoming webhook: it may be called as a person is. */
export const AppMark = ({ of: { type } }: { of: Author }) => (type === 'app' ? <span className="chip">App</span> : null)
