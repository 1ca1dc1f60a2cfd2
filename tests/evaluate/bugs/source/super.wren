super
