"""What must not leave the machine is found and stands behind placeholders on its way out."""
