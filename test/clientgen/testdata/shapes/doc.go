// Package shapes has API types of many shapes.
//
// +typeplane:client:extract=false,plurals=Sheep:Sheep
package shapes
