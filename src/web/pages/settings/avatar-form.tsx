import { useMe } from '../../data/me'
import { removeAvatar, setAvatar } from '../../data/profile'
import { Avatar } from '../../parts/avatar'
import { PICTURE_SIZE, PictureForm } from './picture-form'

/** The member’s picture. */
export function AvatarForm() {
  const { author } = useMe()
  return (
    <PictureForm
      what="picture"
      className="avatar"
      current={<Avatar of={author} size={PICTURE_SIZE} />}
      removeDeniedReason={
        isGenerated(author.avatar_urls.base) ? 'You have no picture. These are your initials.' : undefined
      }
      save={setAvatar}
      remove={removeAvatar}
    />
  )
}

/** Whether it shows initials, which the server renders as SVG. */
export const isGenerated = (url: string) => new URL(url, location.href).pathname.endsWith('.svg')
