import { AVATAR_COLOURS, INITIALS_URL } from '../../contract/browser/constants'
import type { Author } from '../../contract/shapes'

interface Props {
  of: Pick<Author, 'avatar_urls' | 'type'>
  size?: number
}

/** Decorative: the name is always next to it. */
export function Avatar({ of: { avatar_urls, type }, size = 24 }: Props) {
  const url = size <= 24 ? avatar_urls.base : avatar_urls.lg
  const [, colour, letters] = url.match(INITIALS_URL) ?? []
  return letters === undefined ? (
    <img className={`avatar ${type}`} src={url} width={size} height={size} alt="" loading="lazy" />
  ) : (
    <Initials type={type} letters={decodeURIComponent(letters)} colour={AVATAR_COLOURS[Number(colour)]} size={size} />
  )
}

/** As the server draws them. Pictures of letters would take most of the time of scrolling, as they are drawn in each frame. */
const Initials = ({ type, letters, colour, size }: InitialsProps) => (
  <i
    className={`avatar initials ${type}`}
    data-letters={letters}
    aria-hidden="true"
    style={{ width: size, height: size, fontSize: size * ([...letters].length > 1 ? 0.4 : 0.48), background: colour }}
  />
)

interface InitialsProps {
  type: Author['type']
  letters: string
  colour: string | undefined
  size: number
}
