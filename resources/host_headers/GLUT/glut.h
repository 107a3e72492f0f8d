#include <GL/glut.h>
